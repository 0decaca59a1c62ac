wsd import bank.xml --out data/bank --name bank

wsd import bank.data.xml --out data/bank --name bank

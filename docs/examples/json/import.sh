wsd import bank.json --out data/bank --name bank

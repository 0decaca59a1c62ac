wsd import bank.csv --out data/bank --name bank

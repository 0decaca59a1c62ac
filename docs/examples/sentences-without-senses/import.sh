wsd import bank.txt --unlabelled --word bank --out data/bank --name bank

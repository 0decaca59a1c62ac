wsd import bank.train --out data/bank --name bank

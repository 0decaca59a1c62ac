wsd import mine --out data/bank --name bank

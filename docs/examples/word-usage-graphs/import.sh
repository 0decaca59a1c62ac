wsd import graphs --out data/bank --name bank

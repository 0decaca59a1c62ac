python save.py
wsd import bank.parquet --out data/bank --name bank

"""How work is spread: stages that leave finished folders, shards by id hash, engines that run them."""

INSERT INTO `rights_version` (`id`, `version`) VALUES (1, 1);

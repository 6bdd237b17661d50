INSERT INTO `contact_search` (`contact_search`, `rank`) VALUES ('automerge', 0);

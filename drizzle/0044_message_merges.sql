INSERT INTO `message_search` (`message_search`, `rank`) VALUES ('automerge', 0);

INSERT INTO `message_search` (`message_search`, `rank`) VALUES ('secure-delete', 1);--> statement-breakpoint
INSERT INTO `contact_search` (`contact_search`, `rank`) VALUES ('secure-delete', 1);

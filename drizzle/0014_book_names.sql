ALTER TABLE `contacts` ADD `book_name` text;--> statement-breakpoint
ALTER TABLE `contacts` ADD `book_named_at_ms` integer;
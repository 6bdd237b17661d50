ALTER TABLE `password_resets` ADD `issued_by` text REFERENCES users(id);--> statement-breakpoint
ALTER TABLE `password_resets` ADD `issued_in` text REFERENCES organizations(id);
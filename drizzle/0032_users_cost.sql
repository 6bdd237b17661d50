CREATE INDEX `users_cost` ON `users` (substr("password_hash", 16, instr(substr("password_hash", 16), '$') - 1));

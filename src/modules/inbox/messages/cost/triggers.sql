CREATE TRIGGER service_counts_erased AFTER DELETE ON messages WHEN old.allowance_month IS NOT NULL AND old.cost_micros = 0 BEGIN
	UPDATE service_counts SET erased_free = erased_free + 1 WHERE organization_id = old.organization_id AND account_id = old.account_id AND month = old.allowance_month;
END;

CREATE TRIGGER chatbot_counts_raised AFTER INSERT ON bot_inbox BEGIN
	INSERT INTO chatbot_counts (organization_id, account_id, messages) VALUES (new.organization_id, new.account_id, 1)
		ON CONFLICT DO UPDATE SET messages = messages + 1;
END;

CREATE TRIGGER keyword_rules_added AFTER INSERT ON keyword_rules BEGIN
	INSERT INTO keyword_revisions (organization_id, revision) VALUES (new.organization_id, 1)
		ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER keyword_rules_changed AFTER UPDATE OF keywords, match_type, is_case_sensitive, is_whole_word, response_type, response, response_content, priority, is_enabled, account_id, active_from_ms, active_until_ms, active_hours, interrupts_flow, name ON keyword_rules BEGIN
	INSERT INTO keyword_revisions (organization_id, revision) VALUES (new.organization_id, 1)
		ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER keyword_rules_removed AFTER DELETE ON keyword_rules BEGIN
	INSERT INTO keyword_revisions (organization_id, revision) VALUES (old.organization_id, 1)
		ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER bot_flow_triggers_added AFTER INSERT ON bot_flows BEGIN
	INSERT INTO keyword_revisions (organization_id, revision) VALUES (new.organization_id, 1)
		ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER bot_flow_triggers_changed AFTER UPDATE OF trigger_keywords, trigger_match_type, priority, is_enabled, account_id, deleted_at_ms ON bot_flows BEGIN
	INSERT INTO keyword_revisions (organization_id, revision) VALUES (new.organization_id, 1)
		ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER bot_flow_triggers_removed AFTER DELETE ON bot_flows BEGIN
	INSERT INTO keyword_revisions (organization_id, revision) VALUES (old.organization_id, 1)
		ON CONFLICT DO UPDATE SET revision = revision + 1;
END;

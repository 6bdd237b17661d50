import { expect, test } from 'bun:test'

import { freshDatabase } from '../support/world'

/**
 * Indexes of tenant data that do not begin with the organization, by the reason. All others do, so
 * that the rows of one organization lie together and no other organization makes them slow to read.
 */
const ACROSS = {
  'a sweep reads rows of all organizations, mostly those that are due or old': [
    'ai_usage_open',
    'audit_logs_age',
    'bot_flows_deleted',
    'bot_inbox_age',
    'bot_marks_age',
    'bot_sessions_expiring',
    'bot_trace_age',
    'campaigns_under_way',
    'conversations_pending',
    'exports_expiring',
    'idempotency_keys_age',
    'media_expiring',
    'media_stored_as',
    'media_waiting',
    'message_revisions_pending',
    'notifications_age',
    'organization_archives_expiring',
    'privacy_requests_expiring',
    'refresh_tokens_age',
    'scheduled_messages_age',
    'scheduled_reports_due',
    'socket_tickets_age',
    'transfers_due',
    'webhook_payloads_age',
    'works_age',
  ],
  'a secret, or an ID or name that others know, tells the organization': [
    'accounts_business',
    'accounts_id',
    'accounts_phone',
    'accounts_verify_token',
    'api_keys_hash',
    'custom_action_redirects_token',
    'invitations_token',
    'organization_branding_logo_name_unique',
    'refresh_tokens (id)',
    'refresh_tokens_hash',
    'socket_tickets (id)',
    'socket_tickets_hash',
  ],
  'a person or a session is in several organizations': [
    'memberships_of_user',
    'push_subscriptions_session',
    'refresh_tokens_chain',
  ],
  'one worker serves all organizations': [
    'jobs (id)',
    'jobs_available',
    'jobs_blocked',
    'jobs_due',
    'jobs_ended',
    'jobs_leased',
    'jobs_ordering',
    'jobs_ordering_executing',
    'jobs_unique',
  ],
  'a change is stored before its organization is known': [
    'inbound_events (id)',
    'inbound_events_body',
    'inbound_events_parked',
    'inbound_events_state',
    'inbound_events_unrouted',
  ],
  'an operator reads the rows of all organizations': ['organization_moves_recent'],
}

interface Index {
  name: string
  first: string
}

/** Returns the indexes of tables that name an organization, with their first columns. */
const indexesOfTenants = (): Index[] =>
  freshDatabase()
    .query<Index, []>(
      `select case i.origin when 'pk' then t.name || ' (' || c.name || ')' else i.name end as name, c.name as first
       from pragma_table_list as t, pragma_index_list(t.name) as i, pragma_index_info(i.name) as c
       where t.schema = 'main' and t.type = 'table' and c.seqno = 0
         and exists (select 1 from pragma_table_info(t.name) where name = 'organization_id')
       order by 1`,
    )
    .all()

test('every index of tenant data begins with the organization, or says why not', () => {
  const indexes = indexesOfTenants()
  expect(indexes.length).toBeGreaterThan(200)
  const others = indexes.filter(({ first }) => first !== 'organization_id').map(({ name }) => name)
  expect(others).toEqual(Object.values(ACROSS).flat().toSorted())
})

import type { Counter } from '../../../infra/db/counter'

const NONE = 'zeroblob(16)'

/** Counts of conversations. `contacts/triggers.sql` changes them when a contact is deleted. */
export const COUNTERS: readonly Counter[] = [
  {
    name: 'conversation_counts',
    of: 'conversations',
    into: 'conversation_counts',
    by: {
      organization_id: 'row.organization_id',
      account_id: 'row.account_id',
      assigned_to: `coalesce(row.assigned_to, ${NONE})`,
      team_id: `coalesce(row.team_id, ${NONE})`,
      state: 'row.state',
    },
    when: `EXISTS (SELECT 1 FROM contacts
      WHERE organization_id = row.organization_id AND id = row.contact_id AND deleted_at_ms IS NULL)`,
    adds: { conversations: '1', unread: 'row.unread_count > 0' },
  },
]

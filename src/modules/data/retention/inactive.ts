import { and, isNull, lt, or, sql, type SQL } from 'drizzle-orm'

import { contacts } from '../../inbox/contacts/table'

/** Returns the condition for contacts without activity since a time. */
export const inactiveSince = (beforeMs: number): SQL | undefined =>
  and(
    isNull(contacts.deletedAtMs),
    or(
      lt(contacts.lastMessageAtMs, beforeMs),
      and(isNull(contacts.lastMessageAtMs), lt(contacts.updatedAtMs, beforeMs)),
    ),
    sql`not exists (select 1 from privacy_requests r where r.organization_id = ${contacts.organizationId} and r.contact_id = ${contacts.id} and r.state = 'running')`,
    // A contact is kept while a campaign still has to send to it.
    sql`not exists (select 1 from campaign_recipients r join campaigns c on c.organization_id = r.organization_id and c.id = r.campaign_id
      where r.organization_id = ${contacts.organizationId} and r.contact_id = ${contacts.id} and r.status in ('pending', 'sending')
        and c.status in ('scheduled', 'sending', 'paused'))`,
  )

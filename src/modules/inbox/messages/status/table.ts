import { foreignKey, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../../infra/db/columns'
import { storedByKey, tableWithPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { accounts } from '../../../channel/accounts/table'

/**
 * Statuses reported for outgoing messages. The message's status is derived from them, so order and
 * repetition do not matter.
 */
export const messageStatuses = storedByKey(
  tableWithPeople(
    'message_statuses',
    { of: 'contacts', erased: 'rows' },
    {
      organizationId: uuid('organization_id').notNull().business(),
      accountId: uuid('account_id').notNull().business(),
      waMessageId: text('wa_message_id').notNull().personal(),
      status: text('status').notNull().business(),
      /** Group member; empty for a single recipient. */
      participant: text('participant').notNull().default('').personal(),
      /** Platform time; the earliest of repeats. */
      timestampMs: integer('timestamp_ms').notNull().business(),
      receivedAtMs: integer('received_at_ms').notNull().business(),
      /** `[{code, title, message, details, href}]`, JSON. */
      errors: text('errors').notNull().default('[]').personal(),
      /** JSON. */
      pricing: text('pricing').business(),
      /** Platform ID of the template it was sent with, if reported. */
      templateId: text('template_id').business(),
    },
    (table) => [
      primaryKey({
        columns: [
          table.organizationId,
          table.accountId,
          table.waMessageId,
          table.status,
          table.participant,
        ],
      }),
      foreignKey({
        columns: [table.organizationId, table.accountId],
        foreignColumns: [accounts.organizationId, accounts.id],
      }),
    ],
  ),
)

import { integer, text } from '../../../infra/db/columns'
import { tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'

/**
 * Organizations that were erased: what the installation keeps for its books, without a name, an ID
 * or a person.
 */
export const erasedOrganizations = tableWithoutPeople(
  'erased_organizations',
  'sums and counts, without a name or an id of the organization',
  {
    /** An ID of its own. */
    id: uuid('id').primaryKey(),
    startedAtMs: integer('started_at_ms').notNull(),
    /** When the last byte was deleted; null until then. */
    erasedAtMs: integer('erased_at_ms'),
    /** Mentions of its people that went with it, such as in conflicts of imports. */
    mentions: integer('mentions').notNull().default(0),
    /** `[{month, currency, settled_micros, estimated_micros}]`, JSON. */
    costs: text('costs').notNull(),
  },
)

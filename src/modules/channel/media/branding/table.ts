import { integer, text } from '../../../../infra/db/columns'
import { tableWithoutPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { organizations } from '../../../organization/organizations/table'

/** How an organization looks in the console and in mails. */
export const organizationBranding = tableWithoutPeople(
  'organization_branding',
  'how an organization looks',
  {
    organizationId: uuid('organization_id')
      .primaryKey()
      .references(() => organizations.id),
    /** `#rrggbb`; null for the product's color. */
    accent: text('accent'),
    /** Name of the logo in its public address; null for the product's logo. */
    logoName: text('logo_name').unique(),
    /** Random name on disk. */
    storedAs: text('stored_as'),
    mimeType: text('mime_type'),
    sizeBytes: integer('size_bytes'),
    /** Hex, of the bytes on disk. */
    sha256: text('sha256'),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
)

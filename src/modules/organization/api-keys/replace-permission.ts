import type { Db } from '../../../infra/db/connection'
import type { PermissionReplacement } from '../roles/catalog-migrations'

/** Replaces a permission by others in every key that holds it. */
export function replacePermissionInKeys(db: Db, { from, to }: PermissionReplacement): void {
  for (const pair of to)
    db.sqlite.run(
      `insert or ignore into api_key_permissions (organization_id, api_key_id, permission)
       select organization_id, api_key_id, ? from api_key_permissions where permission = ?`,
      [pair, from],
    )
  db.sqlite.run('delete from api_key_permissions where permission = ?', [from])
}

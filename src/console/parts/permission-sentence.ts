import type { PermissionKey } from '../api/shapes'
import { formatList } from '../texts/format'
import { findText, t } from '../texts/texts'

/** Returns what a permission allows, as a sentence. */
export const sentenceOfPermission = (permission: string): string =>
  findText(`settings.permission.${permission}`) ?? permission

/** Says which permissions are not among the others. */
export function permissionsBeyond(
  permissions: readonly PermissionKey[],
  others: readonly PermissionKey[],
): string {
  const more = permissions.filter((one) => !others.includes(one))
  return more.length === 0
    ? t('settings.roles.no-more')
    : formatList(more.map(sentenceOfPermission))
}

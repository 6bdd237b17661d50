import { ForbiddenError } from '../lib/errors'
import type { Actor } from './actor'
import { hasPermission } from './ctx'
import type { Permission } from './permissions'

/**
 * Returns the sentence that names all permissions that the actor lacks, so that nobody meets them one
 * after the other; `null` if there are none.
 */
export function lackOf(actor: Actor, needed: readonly Permission[]): string | null {
  const lacking = [...new Set(needed)].filter((permission) => !hasPermission(actor, permission))
  const names = lacking.map((permission) => `\`${permission}\``)
  const last = names.pop()
  if (last === undefined) return null
  const [what, them] =
    names.length === 0
      ? [`permission ${last}`, 'it']
      : [`permissions ${names.join(', ')} and ${last}`, 'them']
  return `This requires the ${what}. Ask an admin to grant ${them} to your role or API key.`
}

/** Requires permissions. Throws ForbiddenError `permission_denied`, which names all that are missing. */
export function requirePermissions(actor: Actor, needed: readonly Permission[]): void {
  const lack = lackOf(actor, needed)
  if (lack !== null) throw new ForbiddenError(lack, { code: 'permission_denied' })
}

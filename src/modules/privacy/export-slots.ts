import type { Ctx } from '../../infra/ctx'

/** Files that are written at the same time, of all organizations; of each organization one. */
const AT_ONCE = 2

declare module '../../infra/ctx' {
  interface Deps {
    /** The organizations whose privacy export is being written; there is one process. */
    privacyExports: Set<string>
  }
}

/**
 * Takes a turn to write a file; `null` while the organization writes one already, or enough others
 * do. The caller gives the turn back.
 */
export function takeTurn({
  privacyExports: writing,
  organizationId,
}: Pick<Ctx, 'privacyExports' | 'organizationId'>): Disposable | null {
  if (writing.has(organizationId) || writing.size >= AT_ONCE) return null
  writing.add(organizationId)
  return { [Symbol.dispose]: () => void writing.delete(organizationId) }
}

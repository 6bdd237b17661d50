import type { Ctx } from '../../../infra/ctx'

/**
 * Number of files written at the same time by the whole server. Each organization writes one at a
 * time.
 */
const AT_ONCE = 2

declare module '../../../infra/ctx' {
  interface Deps {
    /**
     * Organizations whose privacy export is being written. In memory, because there is one process.
     */
    privacyExports: Set<string>
  }
}

/**
 * Takes a slot for writing a file, or returns `null` if the organization already writes one or all
 * slots are in use. The caller must release the slot.
 */
export function takeTurn({
  privacyExports: writing,
  organizationId,
}: Pick<Ctx, 'privacyExports' | 'organizationId'>): Disposable | null {
  if (writing.has(organizationId) || writing.size >= AT_ONCE) return null
  writing.add(organizationId)
  return { [Symbol.dispose]: () => void writing.delete(organizationId) }
}

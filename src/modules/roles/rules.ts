/**
 * Resources of which the default role may hold nothing but `read`: who registers freely gets that
 * role.
 */
const READ_ONLY_BY_DEFAULT = new Set(['users', 'roles', 'api_keys', 'settings'])
const NEVER_BY_DEFAULT = new Set(['organizations:assign', 'organizations:create'])

/** The pairs a default role may not hold, because registration may be open to everybody. */
export const tooPowerfulByDefault = (permissions: Iterable<string>): string[] =>
  [...permissions].filter((permission) => {
    const [resource = '', action] = permission.split(':')
    return (
      NEVER_BY_DEFAULT.has(permission) || (READ_ONLY_BY_DEFAULT.has(resource) && action !== 'read')
    )
  })

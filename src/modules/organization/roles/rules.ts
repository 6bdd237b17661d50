/**
 * Resources of which the default role may have only `read`, because registration can give that role
 * to anyone.
 */
const READ_ONLY_BY_DEFAULT = new Set(['users', 'roles', 'api_keys', 'settings'])
const NEVER_BY_DEFAULT = new Set(['organizations:assign', 'organizations:create'])

/** Returns the permissions that a default role may not have. */
export const forbiddenForDefaultRole = (permissions: Iterable<string>): string[] =>
  [...permissions].filter((permission) => {
    const [resource = '', action] = permission.split(':')
    return (
      NEVER_BY_DEFAULT.has(permission) || (READ_ONLY_BY_DEFAULT.has(resource) && action !== 'read')
    )
  })

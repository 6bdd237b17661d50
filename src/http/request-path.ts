/** Whether a path is `root` or below it. */
export const isUnder = (root: string, path: string): boolean =>
  path === root || path.startsWith(`${root}/`)

/** Removes a trailing slash: the router treats `/path/` like `/path`. */
export const withoutLastSlash = (path: string): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path

/** A route by its method and the segments of its pattern. */
export interface Pattern {
  method: string
  path: string
  segments: string[]
}

/** Returns the patterns of the routes, without catch-all routes. */
export const patternsOf = (routes: { method: string; path: string }[]): Pattern[] =>
  routes
    .filter(({ path }) => !path.includes('*'))
    .map(({ method, path }) => ({ method, path, segments: path.split('/') }))

/**
 * Returns the pattern of the route that handles a request, as the router finds it: of two matches,
 * the more specific one. For requests that reached no route; checks every pattern.
 */
export function patternOf(
  patterns: Pattern[],
  { method, path }: { method: string; path: string },
): string | undefined {
  const segments = path.split('/')
  const wanted = method === 'HEAD' ? 'GET' : method
  let best: { path: string; named: number } | null = null
  for (const pattern of patterns) {
    if (pattern.method !== wanted || pattern.segments.length !== segments.length) continue
    if (
      !pattern.segments.every(
        (segment, nth) => segment.startsWith(':') || segment === segments[nth],
      )
    )
      continue
    const named = pattern.segments.filter((segment) => !segment.startsWith(':')).length
    if (best === null || named > best.named) best = { path: pattern.path, named }
  }
  return best?.path
}

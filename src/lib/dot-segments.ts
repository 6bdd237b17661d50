/** A segment that a server reads as "here" or "one up", in every notation. */
const DOTS = /^(?:\.|%2e){1,2}$/i

/** Whether the path of a URL has segments that lead to another path than they show. */
export function hasDotSegment(url: string): boolean {
  const [path = ''] = url.split(/[?#]/, 1)
  return path.split(/[/\\]/).some((segment) => DOTS.test(segment))
}

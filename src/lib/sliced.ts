/** Work in small steps: it pauses at each `yield`, so that other work can have its turn. */
export type Sliced<T> = Generator<void, T, void>

/** Does all of a work at once and returns its result. */
export function finish<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

/** Works until `isOver`. Returns the result, or `null` if there is more to do. */
export function advance<T>(work: Sliced<T>, isOver: () => boolean): { result: T } | null {
  do {
    const step = work.next()
    if (step.done === true) return { result: step.value }
  } while (!isOver())
  return null
}

/** Items that are sorted or merged between two pauses. */
const AT_ONCE = 1_000

/** Returns the items in ascending order. */
export function* sorted<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Sliced<readonly T[]> {
  let runs: (readonly T[])[] = []
  for (let at = 0; at < items.length; at += AT_ONCE) {
    runs.push(items.slice(at, at + AT_ONCE).toSorted(compare))
    yield
  }
  while (runs.length > 1) {
    const longer: (readonly T[])[] = []
    for (let at = 0; at < runs.length; at += 2)
      longer.push(yield* merged(runs[at] ?? [], runs[at + 1] ?? [], compare))
    runs = longer
  }
  return runs[0] ?? []
}

function* merged<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Sliced<readonly T[]> {
  const result: T[] = []
  let [a, b] = [0, 0]
  while (a < left.length || b < right.length) {
    const takesLeft =
      b === right.length || (a < left.length && compare(left[a] as T, right[b] as T) <= 0)
    result.push((takesLeft ? left[a++] : right[b++]) as T)
    if (result.length % AT_ONCE === 0) yield
  }
  return result
}

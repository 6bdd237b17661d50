/** Yields runs of adjacent items with the same key, in order. */
export function* runsOf<T>(
  list: readonly T[],
  keyOf: (item: T) => string | number,
): Generator<T[]> {
  let run: T[] = []
  for (const item of list) {
    if (run[0] !== undefined && keyOf(run[0]) !== keyOf(item)) {
      yield run
      run = []
    }
    run.push(item)
  }
  if (run.length > 0) yield run
}

/** A list in runs: neighbours with the same key together, in their order. */
export function* runsOf<T>(list: readonly T[], keyOf: (item: T) => string): Generator<T[]> {
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

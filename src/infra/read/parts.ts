/** A part of a long answer, and where the next one begins; `null` at the end. */
export interface ReadPart<Place> {
  next: Place | null
}

/**
 * Returns the parts of a long answer, each a read of its own, as `shown` makes them. The first one is
 * read at once, so that its errors are thrown here and not while a file is being sent.
 */
export async function partsOf<Place, P extends ReadPart<Place>, T>(
  partAfter: (last: P | null) => Promise<P>,
  shown: (part: P) => T,
): Promise<AsyncGenerator<T>> {
  return rest(await partAfter(null), partAfter, shown)
}

async function* rest<Place, P extends ReadPart<Place>, T>(
  first: P,
  partAfter: (last: P) => Promise<P>,
  shown: (part: P) => T,
): AsyncGenerator<T> {
  let part = first
  yield shown(part)
  while (part.next !== null) {
    part = await partAfter(part)
    yield shown(part)
  }
}

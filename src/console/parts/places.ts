/** Where somebody was in a table. */
interface Place {
  /** What the table showed. */
  key: string
  /** Pixels above what is seen. */
  top: number
  /** The row that was opened. */
  row: string | null
  /** The sizes of the rows that were drawn. */
  sizes: ReadonlyMap<number | string | bigint, number>
}

/** Places that are kept at most. */
const MAX_KEPT = 30

/** By the entry of the browser's history: a link to a table leads to its beginning, "Back" does not. */
const places = new Map<string, Place>()

const entry = (): string => String((history.state as { __TSR_key?: string } | null)?.__TSR_key)

/** Returns where somebody was when this page was left, or its beginning. */
export const placeHere = (): Place =>
  places.get(entry()) ?? { key: '', top: 0, row: null, sizes: new Map() }

/** Keeps where somebody is on this page. */
export function keepPlace(change: Partial<Place>): void {
  const place = { ...placeHere(), ...change }
  places.delete(entry())
  places.set(entry(), place)
  const [oldest] = places.keys()
  if (places.size > MAX_KEPT && oldest !== undefined) places.delete(oldest)
}

import { useId } from 'react'

interface Way<K extends string> {
  id: K
  label: string
  hint: string
}

interface Props<K extends string> {
  label: string
  ways: readonly Way<K>[]
  value: K
  onChange: (way: K) => void
}

/** A few ways to do something, of which one is taken. Arrows move between them. */
export function Ways<K extends string>({ label, ways, value, onChange }: Props<K>) {
  const name = useId()
  return (
    <fieldset className="ways">
      <legend>{label}</legend>
      {ways.map((way) => (
        <label key={way.id} className="way">
          <input
            type="radio"
            name={name}
            checked={way.id === value}
            onChange={() => {
              onChange(way.id)
            }}
          />
          <span>
            <b>{way.label}</b>
            <span className="muted small">{way.hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

import type { ReactNode } from 'react'

/** A fact with its name. */
export interface Fact {
  id: string
  name: string
  /** Facts without a value are left out. */
  value: ReactNode
}

/** Facts below each other, each with its name. */
export const FactList = ({ facts }: { facts: readonly Fact[] }) => (
  <dl className="facts bot-facts">
    {facts.map(({ id, name, value }) =>
      value === null || value === '' ? null : (
        <div key={id}>
          <dt className="muted">
            <bdi>{name}</bdi>
          </dt>
          <dd dir="auto">{value}</dd>
        </div>
      ),
    )}
  </dl>
)

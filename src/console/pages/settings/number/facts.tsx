import type { ReactNode } from 'react'

/** A fact with its name. */
function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Facts in two columns, for those who only read. Those without a value are left out. */
export const Facts = ({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="facts wide-facts">
    {facts.map(([name, value]) =>
      value === null || value === '' ? null : (
        <Fact key={name} name={name}>
          {typeof value === 'string' ? <bdi>{value}</bdi> : value}
        </Fact>
      ),
    )}
  </dl>
)

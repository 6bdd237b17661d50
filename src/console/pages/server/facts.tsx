import type { ReactNode } from 'react'

import { Section } from '../../parts/page'

/** Facts with their names, in a section of their own. Those without a value are left out. */
export const Facts = ({
  title,
  facts,
}: {
  title: string
  facts: readonly (readonly [string, ReactNode])[]
}) => (
  <Section title={title}>
    <dl className="facts wide-facts">
      {facts.map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt className="muted">{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ),
      )}
    </dl>
  </Section>
)

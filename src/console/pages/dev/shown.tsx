import { Link } from '@tanstack/react-router'

import { Page, Section } from '../../parts/page'
import { Progress } from '../../parts/progress'
import { notify } from '../../parts/toast'
import { PhonePart } from './phone'

/** The states of a job. */
const JOBS = {
  running: { done: 1_234, total: 20_000, state: 'running', leftMs: 240_000 },
  uncounted: { done: 1_234, total: null, state: 'running' },
  done: { done: 20_000, total: 20_000, state: 'done' },
  failed: { done: 1_234, total: 20_000, state: 'failed', error: 'error' },
} as const

/** Parts that show something, in all their states. */
export const ShownParts = () => (
  <Page title="/dev/parts">
    <Section title="Progress">
      <div className="form dev-parts">
        {Object.entries(JOBS).map(([name, job]) => (
          <Progress
            key={name}
            label={name}
            {...job}
            counts={[
              { label: 'counts', count: 1_197 },
              { label: 'invalid', count: 37 },
            ]}
            onBackground={() => {
              notify(name)
            }}
            onCancel={() => {
              notify(name)
            }}
          >
            <Link to="/dev/parts" search={{ step: 'first' }}>
              {name}
            </Link>
          </Progress>
        ))}
      </div>
    </Section>
    <PhonePart />
  </Page>
)

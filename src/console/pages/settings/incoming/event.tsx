import { Link, useParams } from '@tanstack/react-router'

import type { InboundEventDetails } from '../../../api/shapes'
import { useCan, useMe } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Button, IconButton } from '../../../parts/button'
import { CodeEditor } from '../../../parts/code/code-field'
import { FoundName } from '../../../parts/found-select'
import { Guarded, Loaded } from '../../../parts/loaded'
import { Page, Section } from '../../../parts/page'
import { report } from '../../../parts/toast'
import { formatDateTime, formatNumber } from '../../../texts/format'
import { findText, t } from '../../../texts/texts'
import { Facts } from '../number/facts'
import { useRefresh } from '../../../live/use-refresh'
import { useReplayOne } from './use-replay'
import { canReplay, contentsOf, nameOfField, reasonOf, State } from './words'

interface Props {
  event: InboundEventDetails
}

const Code = ({ text }: { text: string }) => (
  <code dir="ltr" className="wrapped">
    {text}
  </code>
)

function EventFacts({ event }: Props) {
  const { account_id: account, phone_number_id: phone, business_id: business } = event
  const why = event.reason ?? event.last_error
  const mayRead = useCan('accounts:read')
  return (
    <Facts
      facts={[
        [t('templates.state'), <State key="state" state={event.state} />],
        [t('webhooks.delivery.why'), t(`incoming.state.${event.state}-hint`)],
        [t('incoming.fact.reason'), why && reasonOf(why)],
        [t('incoming.column.items'), contentsOf(event)],
        [
          t('incoming.number'),
          account && mayRead && <FoundName key="number" kind="account" id={account} />,
        ],
        [t('incoming.fact.phone-id'), phone && <Code key="phone" text={phone} />],
        [t('incoming.fact.business-id'), business && <Code key="business" text={business} />],
        [t('incoming.fact.processed'), event.processed_at && formatDateTime(event.processed_at)],
        [t('webhooks.delivery.attempts'), formatNumber(event.attempts)],
        [t('incoming.fact.digest'), <Code key="digest" text={event.digest} />],
      ]}
    />
  )
}

/** What became of items that were not simply applied. */
const Outcomes = ({ event: { outcomes } }: Props) => (
  <Section title={t('incoming.outcomes')} hint={t('incoming.outcomes-hint')}>
    <ul className="attempts">
      {outcomes.map(({ kind, index, outcome, reason, more }) => (
        <li key={`${kind} ${index} ${outcome}`}>
          <p>
            <b>{findText(`incoming.outcome.${outcome}`) ?? outcome}</b>
            {more !== undefined && ` ${t('incoming.more', { count: more })}`}
          </p>
          <p className="muted small">
            {t('incoming.item', {
              kind: findText(`incoming.kind.${kind}`) ?? kind,
              number: formatNumber(index + 1),
            })}
            {reason !== undefined && ` · ${reasonOf(reason)}`}
          </p>
        </li>
      ))}
    </ul>
  </Section>
)

/** The change as it came, which super admins may read. */
const Raw = ({ event: { raw } }: Props) => (
  <Section title={t('webhooks.body')}>
    {raw === null || raw === undefined ? (
      <p className="muted">{t('incoming.no-raw')}</p>
    ) : (
      <CodeEditor
        label={t('incoming.raw')}
        isTitled
        language="json"
        isReadOnly
        value={JSON.stringify(raw, null, 2)}
        onChange={() => undefined}
      />
    )}
  </Section>
)

/** One change that WhatsApp sent, and what became of it. */
export function IncomingEvent() {
  const { eventId = '' } = useParams({ strict: false })
  const { is_super_admin: isSuperAdmin } = useMe()
  const mayRead = useCan('settings:read')
  const mayReplay = useCan('settings:update')
  const query: { include?: 'raw' } = isSuperAdmin ? { include: 'raw' } : {}
  const wish = { params: { id: eventId }, query }
  const result = useApi('GET /api/inbound/events/{id}', wish, mayRead)
  const refresh = useRefresh('GET /api/inbound/events/{id}')
  const replay = useReplayOne()
  const event = result.data
  return (
    <Page
      title={event ? nameOfField(event.field) : t('incoming.title')}
      {...(event ? { hint: formatDateTime(event.received_at) } : {})}
      tabs={
        <p className="crumb">
          <Link to="/settings/incoming" search={{}}>
            {t('incoming.back')}
          </Link>
        </p>
      }
      actions={
        event && (
          <>
            <IconButton
              icon="refresh"
              label={t('webhooks.refresh')}
              onPress={() => {
                refresh().catch(report)
              }}
            />
            {mayReplay && canReplay(event) && (
              <Button
                look="primary"
                icon="refresh"
                onPress={() => {
                  replay(event.id)
                }}
              >
                {t('incoming.replay')}
              </Button>
            )}
          </>
        )
      }
    >
      <Guarded needs="settings:read">
        <Loaded result={result}>
          {(shown) => (
            <>
              <Section title={t('incoming.facts')}>
                <EventFacts event={shown} />
              </Section>
              {shown.outcomes.length > 0 && <Outcomes event={shown} />}
              {isSuperAdmin && <Raw event={shown} />}
            </>
          )}
        </Loaded>
      </Guarded>
    </Page>
  )
}

import { Link, useParams } from '@tanstack/react-router'

import type { PrivacyRequest } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Button } from '../../../parts/button'
import { Guarded, Loaded } from '../../../parts/loaded'
import { Page, Section } from '../../../parts/page'
import { formatDateTime, formatNumber } from '../../../texts/format'
import { findText, t } from '../../../texts/texts'
import { Facts } from '../number/facts'
import { hasFile, PrivacyState, Requester, saveCopy } from './privacy-words'

/** What went or what is in the file, by place; the largest first. */
function Receipt({ request: { kind, receipt } }: { request: PrivacyRequest }) {
  if (!receipt) return null
  const counts = Object.entries(receipt.counts)
    .filter(([, count]) => count > 0)
    .toSorted(([, one], [, other]) => other - one)
  return (
    <Section
      title={t('privacy.receipt')}
      hint={t(kind === 'erase' ? 'privacy.receipt-hint' : 'privacy.receipt-export-hint')}
    >
      {counts.length === 0 && <p className="muted">{t('privacy.receipt.nothing')}</p>}
      <Facts
        facts={[
          ...counts.map(
            ([place, count]) =>
              [
                findText(`privacy.place.${place}`) ?? place.replaceAll('_', ' '),
                formatNumber(count),
              ] as const,
          ),
          [
            t('privacy.checksum'),
            receipt.sha256 === null ? null : (
              <code key="sum" dir="ltr" className="wrapped">
                {receipt.sha256}
              </code>
            ),
          ],
        ]}
      />
      {kind === 'erase' && <p className="muted small">{t('privacy.backups')}</p>}
    </Section>
  )
}

function Request({ request }: { request: PrivacyRequest }) {
  const { kind, state, receipt, error } = request
  return (
    <>
      <Section title={t(`privacy.kind.${kind}`)}>
        <Facts
          facts={[
            [t('privacy.state'), <PrivacyState key="state" state={state} />],
            [t('privacy.asked'), formatDateTime(request.created_at)],
            [t('privacy.by'), <Requester key="by" {...request} />],
            [t('privacy.reason'), request.reason],
            [
              t('privacy.contact'),
              kind === 'erase' ? null : (
                <Link
                  key="contact"
                  to="/contacts/$contactId"
                  params={{ contactId: request.contact_id }}
                >
                  {t('privacy.open-contact')}
                </Link>
              ),
            ],
            [t('privacy.done'), receipt && formatDateTime(receipt.completed_at)],
            [
              t('privacy.until'),
              hasFile(request) && request.expires_at !== null
                ? formatDateTime(request.expires_at)
                : null,
            ],
            [t('privacy.error'), error],
          ]}
        />
      </Section>
      <Receipt request={request} />
    </>
  )
}

/** One privacy request: its steps, its receipt, its file. */
export function PrivacyRequestPage() {
  const { requestId = '' } = useParams({ strict: false })
  const maySee = useCan('contacts:export')
  const result = useApi('GET /api/privacy/requests/{id}', { params: { id: requestId } }, maySee)
  const request = result.data
  return (
    <Page
      title={t('privacy.title')}
      actions={
        maySee &&
        request &&
        hasFile(request) && (
          <Button
            look="primary"
            icon="download"
            onPress={() => {
              saveCopy(request)
            }}
          >
            {t('exports.download')}
          </Button>
        )
      }
    >
      <Guarded needs="contacts:export">
        <Loaded result={result}>{(loaded) => <Request request={loaded} />}</Loaded>
      </Guarded>
    </Page>
  )
}

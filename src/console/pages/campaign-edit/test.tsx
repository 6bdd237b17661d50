import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import type { Campaign, Template } from '../../api/shapes'
import { useCan } from '../../live/me'
import { Button } from '../../parts/button'
import { fieldErrors, TextField } from '../../parts/field'
import { Icon } from '../../parts/icons'
import { Loaded } from '../../parts/loaded'
import { messageOf, type PhoneValues } from '../../parts/phone/message'
import { PhonePreview } from '../../parts/phone/preview'
import { sentenceOf, Trouble } from '../../parts/state'
import { formatPhone } from '../../texts/phone'
import { t } from '../../texts/texts'
import type { DryRun } from './use-dry-run'

interface Props {
  campaign: Campaign | null
  template: Template
  result: UseQueryResult<DryRun>
  onSent: () => void
}

/** The message of the first person, which is sent to a phone of one's own before all others. */
export function TestStep({ result, ...props }: Props) {
  return (
    <Loaded result={result}>
      {({ samples: [sample] }) =>
        sample === undefined ? (
          <p className="muted">{t('wizard.warn.nobody')}</p>
        ) : (
          <TestForm {...props} sample={sample} />
        )
      }
    </Loaded>
  )
}

type Sample = DryRun['samples'][number]

/** Returns the values of somebody's message for the phone. */
function phoneValues({ values }: Sample): PhoneValues {
  const words = (from: Record<string, unknown>): Record<string, string> =>
    Object.fromEntries(Object.entries(from).map(([name, value]) => [name, String(value)]))
  return {
    body: words(values.template_params),
    header: words(values.header_params),
    buttons: words(values.button_params),
    mediaId: values.header_media_id,
  }
}

const hintFor = ({ name }: Sample): string =>
  name === null ? t('wizard.test.hint-first') : t('wizard.test.hint', { name })

function TestForm({
  campaign,
  template,
  sample,
  onSent,
}: Omit<Props, 'result'> & { sample: Sample }) {
  const maySend = useCan('messages:create')
  const [number, setNumber] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [sentTo, setSentTo] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const isApproved = template.status !== 'PENDING'
  const send = (): void => {
    const phone = number.trim()
    setBusy(true)
    setError(null)
    const { header_media_id: mediaId, ...values } = sample.values
    callOnce('POST /api/templates/{id}/test', {
      params: { id: template.id },
      body: {
        ...{ phone_number: phone, ...values },
        ...(mediaId === null ? {} : { header_media_id: mediaId }),
        ...(campaign === null ? {} : { account_id: campaign.account_id }),
      },
    })
      .then(() => {
        setSentTo(phone)
        onSent()
      })
      .catch(setError)
      .finally(() => {
        setBusy(false)
      })
  }
  const said = fieldErrors(error)['phone_number']
  return (
    <div className="wizard-columns">
      <div className="form">
        <p>{hintFor(sample)}</p>
        {!isApproved && <p>{t('wizard.test.review')}</p>}
        {!maySend && <p>{t('wizard.test.may-not')}</p>}
        {isApproved && maySend && (
          <>
            <TextField
              label={t('contacts.number')}
              hint={t('contacts.number-hint')}
              inputMode="tel"
              value={number}
              onChange={setNumber}
              isInvalid={said !== undefined}
              onKeyDown={(event) => {
                // the step goes on with its own button
                if (event.key !== 'Enter') return
                event.preventDefault()
                if (number.trim() !== '') send()
              }}
            />
            <p>
              <Button
                icon="phone"
                isPending={isBusy}
                isDisabled={number.trim() === ''}
                onPress={send}
              >
                {t('templates.test-send')}
              </Button>
            </p>
            {sentTo !== null && (
              <p role="status" className="wizard-good">
                <Icon name="check" size={16} />{' '}
                {t('wizard.test.sent', { number: formatPhone(sentTo) })}
              </p>
            )}
            {error !== null && <Trouble>{said ?? sentenceOf(error)}</Trouble>}
          </>
        )}
      </div>
      <PhonePreview message={messageOf(template, phoneValues(sample))} />
    </div>
  )
}

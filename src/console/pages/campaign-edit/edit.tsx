import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'

import type { Campaign, Template } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { serverNow } from '../../live/server-clock'
import { useDraft } from '../../parts/draft'
import { Guarded, Loaded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { Empty } from '../../parts/state'
import { report } from '../../parts/toast'
import { Wizard, type Step } from '../../parts/wizard'
import { formatDate } from '../../texts/format'
import { nameText, t } from '../../texts/texts'
import { CheckStep } from './check'
import {
  EMPTY_FORM,
  formOf,
  hasMessage,
  hasPeople,
  STEPS,
  type CampaignForm,
  type StepId,
} from './form'
import { useLaunch } from './launch'
import { missingOf } from './missing'
import { TestStep } from './test'
import { useDryRun } from './use-dry-run'
import { useSave } from './use-save'
import { WhatStep } from './what'
import { WhenStep } from './when'
import { WhoStep } from './who'

/** What a campaign is prepared with. */
const NEEDS = ['campaigns:read', 'campaigns:update', 'templates:read'] as const
/** What a campaign is begun with: the first number is chosen at once. */
const NEEDS_NEW = ['campaigns:create', ...NEEDS, 'accounts:read'] as const

/** A campaign that nobody has saved yet. */
export function NewCampaign() {
  const { segment } = useSearch({ from: '/campaigns/new' })
  const mayCreate = useCan(...NEEDS_NEW)
  const accounts = useApi('GET /api/accounts', { query: { limit: 50 } }, mayCreate)
  const [madeId, setMadeId] = useState<string | null>(null)
  const made = useApi('GET /api/campaigns/{id}', { params: { id: madeId ?? '' } }, madeId !== null)
  const [name] = useState(() => nameText('wizard.new-name', { day: formatDate(serverNow()) }))
  const [first] = accounts.data?.items ?? []
  return accounts.data && first ? (
    <Steps
      campaign={made.data ?? null}
      form={
        made.data
          ? formOf(made.data)
          : { ...EMPTY_FORM, name, account_id: first.id, segment_id: segment ?? null }
      }
      onMade={({ id }) => {
        setMadeId(id)
      }}
    />
  ) : (
    <Page title={t('wizard.new')}>
      <Guarded needs={NEEDS_NEW}>
        <Loaded result={accounts}>
          {() => (
            <Empty icon="phone" title={t('wizard.no-number')} hint={t('wizard.no-number-hint')}>
              <Link className="button primary" to="/settings/numbers">
                {t('wizard.connect')}
              </Link>
            </Empty>
          )}
        </Loaded>
      </Guarded>
    </Page>
  )
}

/** A campaign that is prepared step by step, also by several people one after another. */
export function EditCampaign() {
  const { campaignId } = useParams({ from: '/campaigns/$campaignId/edit' })
  const mayChange = useCan(...NEEDS)
  const result = useApi('GET /api/campaigns/{id}', { params: { id: campaignId } }, mayChange)
  const campaign = result.data
  if (campaign?.status === 'draft' || campaign?.status === 'scheduled')
    return (
      <Steps
        key={campaignId}
        campaign={campaign}
        form={formOf(campaign)}
        onMade={() => undefined}
      />
    )
  return (
    <Page title={campaign?.name ?? t('campaigns.title')}>
      <Guarded needs={NEEDS}>
        <Loaded result={result}>
          {({ id }) => (
            <Empty icon="campaigns" title={t('wizard.begun')} hint={t('wizard.begun-hint')}>
              <Link
                className="button primary"
                to="/campaigns/$campaignId"
                params={{ campaignId: id }}
                search={{}}
              >
                {t('wizard.show')}
              </Link>
            </Empty>
          )}
        </Loaded>
      </Guarded>
    </Page>
  )
}

/** Returns a template; `null` for none, and while it is loaded. */
function useTemplate(id: string | null): Template | null {
  const { data } = useApi('GET /api/templates/{id}', { params: { id: id ?? '' } }, id !== null)
  return id === null ? null : (data ?? null)
}

/** The step that the address names, and how to go to another one. */
function useStep(campaignId: string | undefined) {
  const { step } = useSearch({ strict: false })
  const navigate = useNavigate()
  return {
    step: STEPS.find((one) => one === step) ?? 'who',
    show: (next: StepId, id = campaignId): void => {
      if (id === undefined) return
      navigate({
        to: '/campaigns/$campaignId/edit',
        params: { campaignId: id },
        search: { step: next },
      }).catch(report)
    },
  }
}

/** The steps; what comes after the message needs people and a message. */
const stepsOf = (done: Record<StepId, boolean>, isReady: boolean): Step<StepId>[] =>
  STEPS.map((id) => ({
    id,
    label: t(`wizard.step.${id}`),
    isDone: done[id],
    isBlocked: id !== 'who' && id !== 'what' && !isReady,
  }))

interface Props {
  campaign: Campaign | null
  form: CampaignForm
  /** Called when a new one was saved for the first time. */
  onMade: (campaign: Campaign) => void
}

function Steps({ campaign, form, onMade }: Props) {
  const navigate = useNavigate()
  const draft = useDraft(form)
  const { value } = draft
  const { save, windows } = useSave(campaign, draft, onMade)
  const { step, show } = useStep(campaign?.id)
  const saved = useRef(campaign)
  const [agreed, setAgreed] = useState<string | null>(null)
  const [isTested, setTested] = useState(false)
  const template = useTemplate(value.template_id)
  const isWho = hasPeople(value, campaign?.total_recipients ?? 0)
  const isWhat = hasMessage(value, template)
  const isReady = campaign !== null && isWho && isWhat
  const dryRun = useDryRun(campaign, isReady && step !== 'who' && step !== 'what')
  const lacking = dryRun.data?.excluded['missing_params'] ?? 0
  const isChecked = dryRun.data !== undefined && (lacking === 0 || agreed === String(lacking))
  const launch = useLaunch({
    campaign,
    form: value,
    people: dryRun.data?.eligible ?? 0,
    save,
    show,
  })
  const done = { who: isWho, what: isWhat, check: isChecked, test: isTested, when: false }
  return (
    <>
      <Wizard
        title={campaign?.name ?? t('wizard.new')}
        steps={stepsOf(done, isReady)}
        step={step}
        onStep={(next) => {
          show(next, saved.current?.id)
        }}
        onSave={async () => {
          saved.current = await save()
        }}
        onLeave={() => {
          navigate({ to: '/campaigns', search: {} }).catch(report)
        }}
        finish={launch.finish(isChecked)}
        missing={step === 'what' ? missingOf(value, template, isWho) : null}
      >
        {step === 'who' && <WhoStep campaign={campaign} draft={draft} onSave={save} />}
        {step === 'what' && (
          <WhatStep campaign={campaign} draft={draft} template={template} onSave={save} />
        )}
        {step === 'check' && (
          <CheckStep
            {...{ result: dryRun, template, isAgreed: isChecked }}
            onAgree={() => {
              setAgreed(String(lacking))
            }}
            onMend={() => {
              show('what')
            }}
          />
        )}
        {step === 'test' && template && (
          <TestStep
            {...{ campaign, template, result: dryRun }}
            onSent={() => {
              setTested(true)
            }}
          />
        )}
        {step === 'when' && campaign && (
          <WhenStep {...{ draft, zone: campaign.timezone, result: dryRun, isChecked }} />
        )}
      </Wizard>
      {windows}
      {launch.windows}
    </>
  )
}

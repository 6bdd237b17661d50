import { and, eq, inArray, isNotNull, isNull, like, or, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { objectOf, wordOf } from '../../../platform/lenient-json'
import { campaigns } from '../../outreach/campaigns/table'
import { botFlowReferences } from '../../automation/chatbot/bot-flows/table'
import { cannedResponses } from '../../inbox/canned-responses/table'
import { keywordRules } from '../../automation/chatbot/keywords/table'
import { scheduledFiles } from '../../inbox/scheduled-messages/table'
import { templateCardFiles, templates } from '../templates/table'

/**
 * Returns the files of canned responses, keyword rules, bot flows, templates, campaigns and messages
 * that are still scheduled, optionally only those in `among`. They are kept when a message or contact is deleted.
 */
export function findReusableFiles(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  among?: string[],
): Set<string> {
  const named = (mediaId: SQLiteColumn): SQL | undefined =>
    among === undefined ? isNotNull(mediaId) : inArray(mediaId, among)
  const { orm } = ctx.db
  const found = [
    ...orm
      .select({ id: cannedResponses.mediaId })
      .from(cannedResponses)
      .where(inOrganization(ctx, cannedResponses, named(cannedResponses.mediaId)))
      .all(),
    ...orm
      .select({ id: keywordRules.mediaId })
      .from(keywordRules)
      .where(inOrganization(ctx, keywordRules, named(keywordRules.mediaId)))
      .all(),
    ...orm
      .select({ id: templates.headerMediaId })
      .from(templates)
      .where(
        inOrganization(
          ctx,
          templates,
          and(named(templates.headerMediaId), isNull(templates.deletedAtMs)),
        ),
      )
      .all(),
    ...orm
      .select({ id: templateCardFiles.mediaId })
      .from(templateCardFiles)
      .where(inOrganization(ctx, templateCardFiles, named(templateCardFiles.mediaId)))
      .all(),
    ...orm
      .select({ id: campaigns.headerMediaId })
      .from(campaigns)
      .where(
        inOrganization(
          ctx,
          campaigns,
          and(named(campaigns.headerMediaId), isNull(campaigns.deletedAtMs)),
        ),
      )
      .all(),
    ...orm
      .selectDistinct({ id: scheduledFiles.mediaId })
      .from(scheduledFiles)
      .where(inOrganization(ctx, scheduledFiles, named(scheduledFiles.mediaId)))
      .all(),
    ...orm
      .selectDistinct({ id: botFlowReferences.targetId })
      .from(botFlowReferences)
      .where(
        inOrganization(
          ctx,
          botFlowReferences,
          and(eq(botFlowReferences.kind, 'media'), named(botFlowReferences.targetId)),
        ),
      )
      .all(),
  ]
  const ids = new Set(found.map(({ id }) => id).filter((id) => id !== null))
  for (const id of cardFilesOfCampaigns(ctx)) if (among?.includes(id) ?? true) ids.add(id)
  return ids
}

const CARD_FILE = /^cards\.\d\.header\.media$/

/** Returns the files that unfinished campaigns use in template cards. */
function cardFilesOfCampaigns(ctx: Pick<Ctx, 'db' | 'organizationId'>): string[] {
  const under = inArray(campaigns.status, ['draft', 'scheduled', 'sending', 'paused'])
  const named = or(
    like(campaigns.defaultParams, '%.header.media%'),
    like(campaigns.variableMapping, '%.header.media%'),
  )
  return ctx.db.orm
    .select({ defaults: campaigns.defaultParams, mapping: campaigns.variableMapping })
    .from(campaigns)
    .where(inOrganization(ctx, campaigns, and(under, named, isNull(campaigns.deletedAtMs))))
    .all()
    .flatMap(({ defaults, mapping }) =>
      [
        ...Object.entries(objectOf(JSON.parse(defaults))),
        ...Object.entries(objectOf(JSON.parse(mapping))),
      ].flatMap(([name, source]) => {
        const id = wordOf(objectOf(source).value ?? source)
        return CARD_FILE.test(name) && id !== null ? [id] : []
      }),
    )
}

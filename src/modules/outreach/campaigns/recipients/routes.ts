import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import { okText } from '../../../../http/read-answer'
import type { Http } from '../../../../http/http-deps'
import { IdParam, LongPageOf, longQuery, PageOf, pageQuery } from '../../../../http/pagination'
import { oneOf } from '../../../../lib/fields'
import { FilePart } from '../../../../http/multipart'
import { ImportView, MAX_BYTES } from '../../../data/imports/model'
import { CampaignView, ReceivedCampaign, RECIPIENT_STATUSES, RecipientView } from '../model'
import { importRecipientFile } from './import-file'
import { RecipientImportView, FORM_FIELDS } from './model'
import { campaignsOf } from './of-contact'
import { ListRecipients } from './readers'
import { addRecipients, deleteRecipient, removeList } from './service'

/** Allows 10,000 recipients with some values each. */
const MAX_JSON_BYTES = 16 * 1_024 * 1_024

const NewRecipients = Type.Object(
  {
    file: Type.Optional(
      FilePart(
        'CSV or XLSX file with a header row, or a JSON list like `recipients`. Alternative to ' +
          '`recipients`. Up to 50 MB and 200,000 rows.',
      ),
    ),
    ...FORM_FIELDS,
  },
  {
    title: 'RecipientsInput',
    examples: [
      { recipients: [{ phone_number: '+1 555 010 0199', template_params: { '1': 'Ann' } }] },
    ],
  },
)

const FILE_REFUSALS = [
  '400 empty_file',
  '400 bad_encoding',
  '400 malformed_csv',
  '400 malformed_json',
  '400 malformed_xlsx',
  '400 bad_header',
  '400 duplicate_column',
  '400 missing_column',
  '400 too_many_columns',
  '400 row_too_long',
  '400 cell_too_long',
  '413 too_many_rows',
  '413 too_many_parts',
  '413 too_large_unpacked',
  '503 files_busy',
  '409 wrong_state',
] as const

const RecipientsQuery = t.Object({
  ...longQuery(50),
  status: t.Optional(oneOf(RECIPIENT_STATUSES)),
  search: t.Optional(
    t.String({ minLength: 1, maxLength: 255, description: 'Part of the name or phone number.' }),
  ),
  error_code: t.Optional(t.String({ minLength: 1, maxLength: 64 })),
})

const BothIds = t.Object({
  id: t.String({ format: 'uuid' }),
  recipient_id: t.String({ format: 'uuid' }),
})

/** Routes to import, list and delete recipients. */
export const recipientRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/campaigns', tags: ['Campaigns'] })
    .use(guard(http))
    .post(
      '/:id/recipients/import',
      async ({ ctx, params, body, status }) => {
        const { file, recipients, column_mapping: mapping, replace } = body
        const isReplacing = replace === true || replace === 'true'
        if (!file)
          return status(201, ok(await addRecipients(ctx, params.id, { recipients, isReplacing })))
        const done = await importRecipientFile(ctx, params.id, { file, mapping, isReplacing })
        return status(201, ok('result' in done ? done.result : done.import))
      },
      {
        can: {
          permission: 'campaigns:create',
          bulk: true,
          upload: { maxBytes: MAX_BYTES, takesJson: true, maxJsonBytes: MAX_JSON_BYTES },
        },
        refuses: [...FILE_REFUSALS, '400 template_not_approved'],
        params: IdParam,
        body: NewRecipients,
        response: { 201: Ok(Type.Union([RecipientImportView, ImportView])) },
        detail: {
          operationId: 'importCampaignRecipients',
          summary: 'Import recipients',
          description:
            'Accepts up to 10,000 recipients as JSON, or a CSV or XLSX file. Each row names one of ' +
            '`phone_number`, `contact_id` and `user_id`. Invalid rows are reported and skipped; ' +
            'duplicates are ignored. Contacts are created when the campaign sends to them. Files ' +
            'with more than 10,000 rows are processed in the background and return an import; a ' +
            'scheduled start waits for it. Only possible before the campaign starts.',
        },
      },
    )
    .get(
      '/:id/recipients',
      async ({
        ctx,
        params,
        query: { page = 1, limit = 50, cursor, status, search, error_code: errorCode },
      }) => {
        const query = { page, limit, cursor, status, search, errorCode }
        return okText(
          await ctx.reads.text(ListRecipients, ctx, { ...query, campaignId: params.id }),
        )
      },
      {
        can: 'campaigns:read',
        params: IdParam,
        query: RecipientsQuery,
        response: { 200: Ok(LongPageOf(RecipientView)) },
        detail: {
          operationId: 'listCampaignRecipients',
          summary: 'List recipients',
          description:
            'Lists recipients in the order they were added. Without `contacts:read_all`, only ' +
            'recipients whose contact the caller can see.',
        },
      },
    )
    .delete('/:id/recipients', async ({ ctx, params }) => ok(await removeList(ctx, params.id)), {
      can: 'campaigns:update',
      refuses: ['409 wrong_state'],
      params: IdParam,
      response: { 200: Ok(CampaignView) },
      detail: {
        operationId: 'deleteCampaignRecipients',
        summary: 'Remove all recipients',
        description:
          'Removes all imported recipients. The audience stays. Only possible before the campaign ' +
          'starts.',
      },
    })
    .delete(
      '/:id/recipients/:recipient_id',
      ({ ctx, params }) => {
        deleteRecipient(ctx, params.id, params.recipient_id)
        return ok({ message: 'The recipient is removed.' })
      },
      {
        can: 'campaigns:update',
        refuses: ['409 wrong_state'],
        params: BothIds,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteCampaignRecipient',
          summary: 'Remove a recipient',
          description: 'Only possible before the campaign starts.',
        },
      },
    )

/** Route that lists the campaigns of a contact. */
export const campaignsOfContactRoute = (http: Http) =>
  new Elysia({ prefix: '/api/contacts', tags: ['Campaigns'] })
    .use(guard(http))
    .get(
      '/:id/campaigns',
      ({ ctx, params, query: { page = 1, limit = 20 } }) =>
        ok(campaignsOf(ctx, params.id, { page, limit })),
      {
        can: 'campaigns:read',
        params: IdParam,
        query: t.Object(pageQuery()),
        response: { 200: Ok(PageOf(ReceivedCampaign)) },
        detail: {
          operationId: 'listCampaignsOfContact',
          summary: 'List campaigns of a contact',
          description: 'Campaigns that were sent to the contact, most recent first.',
        },
      },
    )

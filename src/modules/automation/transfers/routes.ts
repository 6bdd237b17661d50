import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, longQuery } from '../../../http/pagination'
import { okText } from '../../../http/read-answer'
import { ConversationView } from '../../inbox/conversations/model'
import { assignTransfer } from './assign'
import { createTransfer } from './create'
import { editTransfer } from './edit'
import { resumeTransfer } from './end'
import { handOver } from './hand-over'
import { ListTransfers } from './readers'
import {
  NewOwner,
  NewTransfer,
  PickedTransfer,
  Resume,
  TeamOrGeneral,
  TransferAnswer,
  TransferAssignment,
  TransferChange,
  TransferDetails,
  transferFilters,
  TransferList,
} from './model'
import { pickUp, pickUpNext } from './pick-up'
import { getTransfer } from './queries'

const TransfersQuery = t.Object({ ...longQuery(), ...transferFilters })

const REFUSALS_OF_PICKUP = ['403 pickup_disabled', '403 not_in_team', '409 at_capacity'] as const

/** Routes for transfers and their fields. */
export const transferRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/chatbot/transfers', tags: ['Transfers'] })
    .use(guard(http))
    .get(
      '',
      async ({ ctx, query: { page = 1, limit = 20, team_id, agent_id, contact_id, ...query } }) =>
        okText(
          await ctx.reads.text(ListTransfers, ctx, {
            ...query,
            page,
            limit,
            teamId: team_id,
            agentId: agent_id,
            contactId: contact_id,
          }),
        ),
      {
        can: 'transfers:read',
        query: TransfersQuery,
        response: { 200: Ok(TransferList) },
        detail: {
          operationId: 'listTransfers',
          summary: 'List transfers',
          description:
            "Lists the caller's own transfers, the queues of their teams and the general queue; " +
            'with `transfers:assign` all transfers of contacts the caller can see. Active ones ' +
            'come first, oldest first; then ended ones, newest first.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createTransfer(ctx, body))), {
      can: 'transfers:create',
      refuses: [
        '400 account_inactive',
        '400 account_required',
        '400 agent_at_capacity',
        '400 agent_unavailable',
        '400 contact_blocked',
        '400 not_a_member',
        '400 team_inactive',
        '409 transfer_active',
      ],
      body: NewTransfer,
      response: { 201: Ok(TransferAnswer) },
      detail: {
        operationId: 'createTransfer',
        summary: 'Transfer a contact',
        description:
          'Gives the contact to a person, a team or the general queue, opens its conversation ' +
          'and silences the bot on all numbers. Without `agent_id`, the strategy of the team ' +
          "chooses; without a team, the contact's assignee gets it if the settings say so.",
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getTransfer(ctx, params.id)), {
      can: 'transfers:read',
      params: IdParam,
      response: { 200: Ok(TransferDetails) },
      detail: {
        operationId: 'getTransfer',
        summary: 'Get a transfer',
        description: 'With its deadlines and its history.',
      },
    })
    .put('/:id', ({ ctx, params, body }) => ok(editTransfer(ctx, params.id, body)), {
      can: 'transfers:pickup',
      refuses: ['409 transfer_ended'],
      params: IdParam,
      body: TransferChange,
      response: { 200: Ok(TransferDetails) },
      detail: {
        operationId: 'updateTransfer',
        summary: 'Update a transfer',
        description:
          "Changes notes and priority. Someone else's transfer requires `transfers:assign`.",
      },
    })

/** Routes that take, give, return and end transfers. */
export const transferActionRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/chatbot/transfers', tags: ['Transfers'] })
    .use(guard(http))
    .post(
      '/pickup',
      ({ ctx, query }) => {
        const transfer = pickUpNext(ctx, query.team_id)
        return ok({
          transfer,
          message: transfer ? 'The transfer is assigned to you.' : 'No transfer waits.',
        })
      },
      {
        can: { permission: 'transfers:pickup', people: 'only' },
        refuses: REFUSALS_OF_PICKUP,
        query: t.Object({ team_id: t.Optional(TeamOrGeneral) }),
        response: { 200: Ok(PickedTransfer) },
        detail: {
          operationId: 'pickUpNextTransfer',
          summary: 'Pick up the next transfer',
          description:
            'Assigns the waiting transfer with the highest priority, then the oldest, to the ' +
            'caller. Considers the queues of their teams and the general queue, or only the one ' +
            'in `team_id`.',
        },
      },
    )
    .post('/:id/pickup', ({ ctx, params }) => ok({ transfer: pickUp(ctx, params.id) }), {
      can: { permission: 'transfers:pickup', people: 'only' },
      refuses: [...REFUSALS_OF_PICKUP, '409 already_assigned', '409 transfer_ended'],
      params: IdParam,
      response: { 200: Ok(t.Object({ transfer: TransferAnswer.properties.transfer })) },
      detail: {
        operationId: 'pickUpTransfer',
        summary: 'Pick up a transfer',
        description:
          'Assigns a waiting transfer to the caller. If someone else was first, fails with 409 ' +
          '`already_assigned` and their name.',
      },
    })
    .put(
      '/:id/assign',
      ({ ctx, params, body }) => {
        const transfer = assignTransfer(ctx, params.id, body)
        const message =
          transfer.agent_name === null
            ? 'The transfer waits in the queue.'
            : `The transfer is assigned to ${transfer.agent_name}.`
        return ok({ transfer, message })
      },
      {
        can: { permission: ['transfers:pickup', 'transfers:assign'] },
        refuses: [
          ...REFUSALS_OF_PICKUP,
          '403 session_required',
          '400 agent_unavailable',
          '400 not_a_member',
          '400 team_inactive',
          '409 already_assigned',
          '409 transfer_ended',
        ],
        params: IdParam,
        body: TransferAssignment,
        response: { 200: Ok(TransferAnswer) },
        detail: {
          operationId: 'assignTransfer',
          summary: 'Assign a transfer',
          description:
            'With `transfers:assign`: to anyone and any team. With `transfers:pickup` alone: take ' +
            "a waiting transfer of one's queues, which API keys cannot, or give back one's own.",
        },
      },
    )
    .put(
      '/:id/resume',
      ({ ctx, params, body }) =>
        ok({
          transfer: resumeTransfer(ctx, params.id, body),
          message: 'The transfer has ended. The bot answers again.',
        }),
      {
        can: { permission: ['transfers:pickup', 'transfers:assign'] },
        refuses: ['409 transfer_ended'],
        params: IdParam,
        body: Resume,
        response: { 200: Ok(TransferAnswer) },
        detail: {
          operationId: 'resumeTransfer',
          summary: 'End a transfer',
          description:
            'Closes the conversation; the bot answers the next message. With `transfers:pickup` ' +
            "alone only one's own transfer.",
        },
      },
    )

/** Route that gives a conversation to somebody, with its transfer. */
export const handOverRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/conversations', tags: ['Conversations'] })
    .use(guard(http))
    .put('/:id/owner', ({ ctx, params, body }) => ok(handOver(ctx, params.id, body)), {
      can: { permission: ['transfers:create', 'transfers:assign'] },
      refuses: [
        '400 not_a_member',
        '400 team_inactive',
        '403 not_in_team',
        '403 permission_denied',
        '403 pickup_disabled',
        '409 already_assigned',
        '409 at_capacity',
      ],
      params: IdParam,
      body: NewOwner,
      response: { 200: Ok(ConversationView) },
      detail: {
        operationId: 'handOverConversation',
        summary: 'Hand over a conversation',
        description:
          'Gives the conversation and its transfer to a person, a team, the general queue or ' +
          "nobody. With `transfers:create`: one's own, and those of nobody; taking one of nobody is " +
          'its pickup. With `transfers:assign`: all. A team gives it to a member by its strategy, ' +
          'but not to the caller.',
      },
    })

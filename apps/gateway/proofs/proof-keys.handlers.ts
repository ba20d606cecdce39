import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Bus } from '@offizin/bus/bus';
import { serviceCaller } from '@offizin/contracts/calls/caller';
import { listProofKeys, PROOF_KEYS_PATH } from '@offizin/contracts/requests/request-proof';
import { answerFile, type PublishedFile, publishedFile } from '@offizin/http-edge/published-file';

const JSON_TYPE = 'application/json; charset=utf-8';
/** Keys change by a roll-out of order-core. */
const FRESH_MS = 60_000;

/** The public keys that check proofs; a caller needs no token. order-core has them; it is asked once a minute, however many ask here. */
@Controller()
export class ProofKeysHandlers {
  private known: { file: PublishedFile; askedAtMs: number } | null = null;
  private asking: Promise<PublishedFile> | null = null;

  constructor(private readonly bus: Bus) {}

  @Get(PROOF_KEYS_PATH)
  async keys(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const file = await this.file(request.id);
    answerFile(file, request, reply.header('access-control-allow-origin', '*'));
  }

  private file(requestId: string): Promise<PublishedFile> {
    if (this.known && performance.now() - this.known.askedAtMs < FRESH_MS)
      return Promise.resolve(this.known.file);
    this.asking ??= this.ask(requestId).finally(() => (this.asking = null));
    return this.asking;
  }

  /** While order-core is unreachable, the keys of before. */
  private async ask(requestId: string): Promise<PublishedFile> {
    try {
      const keys = await this.bus.call(listProofKeys, serviceCaller('gateway', requestId), {});
      const file = publishedFile(JSON_TYPE, JSON.stringify(keys));
      this.known = { file, askedAtMs: performance.now() };
      return file;
    } catch (error) {
      if (this.known) return this.known.file;
      throw error;
    }
  }
}

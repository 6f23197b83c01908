import { planListing } from '#contract/billing/plans.ts';
import css from './auth-layout.module.css';

const [freemium] = planListing;

/** What the service guarantees, with the headers of a free plan's first call as an example. */
export function AboutService() {
  return (
    <aside className={css.about} aria-label="About the service">
      <p className={css.claim}>One API for chat, translation, speech and text analysis.</p>
      <dl className={css.receipt}>
        <div>
          <dt>POST</dt>
          <dd>/v1/chat/completions</dd>
        </div>
        <div>
          <dt>x-credits-charged</dt>
          <dd>1</dd>
        </div>
        <div>
          <dt>x-credits-remaining</dt>
          <dd>{freemium.quota_limit - 1}</dd>
        </div>
        <div>
          <dt>x-ratelimit-remaining-requests</dt>
          <dd>{freemium.rate_limit - 1}</dd>
        </div>
      </dl>
      <ul className={css.points}>
        <li>{freemium.quota_limit} free credits per month. No card required.</li>
        <li>Unused plan credits roll over for up to three months.</li>
        <li>Failed calls are free.</li>
      </ul>
    </aside>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { blockDestination, blockKey } from '../../protection/block-texts.ts';
import { RULE_NAMES } from '../../protection/rule-texts.ts';
import { Badge } from '../../ui/Badge.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { usePhoneFormat } from '../../ui/phone-numbers.ts';
import { Facts, number } from '../Facts.tsx';
import { Details, Note, Row, Rows, RowText } from '../Rows.tsx';
import { blocksOf } from './data.ts';

/** The account's sends that fraud rules blocked. */
export function AccountBlocks() {
  usePhoneFormat();
  const { id } = useParams({ from: '/_app/operator/accounts/$id' });
  const query = useQuery(blocksOf(id));
  return (
    <Panel title="Suspicious sends in the last 24 hours">
      <Loaded query={query} failure="Failed to load the suspicious sends">
        {({ blocked, monitored, results }) => (
          <>
            <Facts facts={{ 'Blocked sends': number(blocked), 'Monitored only': number(monitored) }} isBig />
            {results.length === 0 ? (
              <Note>No send of this account looked suspicious.</Note>
            ) : (
              <Rows aria-label="Suspicious destinations">
                {results.map((block) => (
                  <Row key={blockKey(block)}>
                    <RowText>
                      {blockDestination(block)}
                      <small>
                        <Details
                          texts={[
                            `${RULE_NAMES[block.rule]}${block.scope === 'deployment' ? ' (rule for all accounts)' : ''}`,
                            `last ${shortDateTime(block.last_at)}`,
                            ...(block.blocked_until
                              ? [`blocked until ${shortDateTime(block.blocked_until)}`]
                              : []),
                          ]}
                        />
                      </small>
                    </RowText>
                    <span className="flex flex-wrap items-center gap-2">
                      {block.blocked > 0 ? (
                        <Badge tone="red">{`${number(block.blocked)} blocked`}</Badge>
                      ) : null}
                      {block.monitored > 0 ? (
                        <Badge tone="gray">{`${number(block.monitored)} monitored`}</Badge>
                      ) : null}
                      {block.is_allowed ? <Badge tone="green">Allowed</Badge> : null}
                    </span>
                  </Row>
                ))}
              </Rows>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

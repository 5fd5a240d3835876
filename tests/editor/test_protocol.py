"""The server with a client that somebody else wrote: pytest-lsp checks every message against the protocol's types.

    RANKLINT=target/debug/ranklint python -m pytest tests/editor

Needs pytest-lsp; without it, or without RANKLINT, the tests are passed over.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest_lsp = pytest.importorskip("pytest_lsp")
types = pytest.importorskip("lsprotocol.types")

PROGRAM = os.environ.get("RANKLINT", "")
if not PROGRAM:
    pytest.skip("RANKLINT does not name the program", allow_module_level=True)

JOB = "import torch.distributed as dist\n\n\ndef step(x):\n    if dist.get_rank() == 0:\n        dist.all_reduce(x)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of two files, one of them with a finding."""
    (tmp_path / "ranklint.toml").write_text("")
    (tmp_path / "job.py").write_text(JOB)
    (tmp_path / "sound.py").write_text("x = 1\n")
    return tmp_path


@pytest.mark.parametrize("name", ["visual_studio_code", "neovim", "emacs"])
@pytest.mark.asyncio
async def test_a_session_of_each_editor(project: Path, name: str) -> None:
    """Greets, opens, asks or is told, hovers, acts, says goodbye, with the capabilities that the editor announces."""
    capabilities = pytest_lsp.client_capabilities(name)
    program = str(Path(PROGRAM).resolve())
    config = pytest_lsp.ClientServerConfig(server_command=[program, "server"])
    client = await config.start()
    try:
        folder = types.WorkspaceFolder(uri=project.as_uri(), name="project")
        params = types.InitializeParams(
            capabilities=capabilities, root_uri=project.as_uri(), workspace_folders=[folder], process_id=None
        )
        result = await client.initialize_session(params)
        uri = (project / "job.py").as_uri()
        item = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=JOB)
        client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
        document = types.TextDocumentIdentifier(uri=uri)
        if result.capabilities.diagnostic_provider:
            asked = types.DocumentDiagnosticParams(text_document=document)
            report = await client.text_document_diagnostic_async(asked)
            items = report.items
        else:
            while not client.diagnostics.get(uri):
                await client.wait_for_notification("textDocument/publishDiagnostics")
            items = client.diagnostics[uri]
        assert [item.code for item in items] == ["conditional-collective"]
        assert items[0].range.start == types.Position(line=5, character=8)

        position = types.Position(line=5, character=12)
        hover = await client.text_document_hover_async(types.HoverParams(text_document=document, position=position))
        assert "reached by some ranks only" in hover.contents.value
        actions = await client.text_document_code_action_async(
            types.CodeActionParams(
                text_document=document,
                range=types.Range(start=position, end=position),
                context=types.CodeActionContext(diagnostics=list(items)),
            )
        )
        assert "ignore `conditional-collective` here" in [action.title for action in actions]
    finally:
        await client.shutdown_session()
        await client.stop()
